/**
 * The bodies and headers under which a browser gets an artifact. Whatever an artifact holds was written by a model, perhaps at the wish of a page that it had read: it gets no
 * origin, no storage and no network. Pure.
 *
 * A page stands in a frame of a page of ours: a document may always leave its own address, and take along in the new one what it knows; a frame may not where the page around it
 * allows no frames from anywhere.
 */

/** What holds for every answer. Nothing may be loaded, and nothing has an origin. */
const NOTHING = [
  "default-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
];

/** For a page: what stands in it may run and be drawn. */
const PAGE_POLICY = [
  ...NOTHING,
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src data: blob:",
  "font-src data:",
  "media-src data: blob:",
  "connect-src 'none'",
  "frame-src 'none'",
  "worker-src 'none'",
  "object-src 'none'",
  "webrtc 'block'",
  "sandbox allow-scripts",
].join("; ");

/** For a picture, which is an image of a page of ours: no script runs. */
const PICTURE_POLICY = [
  ...NOTHING,
  "style-src 'unsafe-inline'",
  "img-src data:",
  "sandbox",
].join("; ");

/** For everything else. */
const TEXT_POLICY = [...NOTHING, "sandbox"].join("; ");

/** What pages could ask a person for, and may not. */
const PERMISSIONS = [
  "camera",
  "display-capture",
  "geolocation",
  "microphone",
  "midi",
  "payment",
  "usb",
].map((name) => `${name}=()`).join(", ");

/** What an answer holds, and the policy that belongs to it. */
export interface Delivery {
  /** The body. */
  readonly body: string;
  /** The Content-Type. */
  readonly contentType: string;
  /** The Content-Security-Policy. */
  readonly policy: string;
}

/**
 * Makes links within a page work, which in such a frame would lead to the page around it. It has no say over what the artifact's own scripts do, nor needs one; it takes itself
 * out of the page.
 */
const LINKS_WITHIN =
  `<script>document.currentScript.remove();addEventListener("click",(event)=>{const link=event.target.closest?.('a[href^="#"]');if(!link||event.defaultPrevented)return;event.preventDefault();location.hash=link.getAttribute("href")})</script>`;

/** The text as it is. */
export function textDelivery(content: string, contentType: string): Delivery {
  return { body: content, contentType, policy: TEXT_POLICY };
}

/** A page of HTML in a frame without origin and network. */
export function pageDelivery(content: string, title: string): Delivery {
  const frame = `<iframe sandbox="allow-scripts" title="${escapeHtml(title)}" srcdoc="${
    escapeHtml(LINKS_WITHIN + content)
  }"></iframe>`;
  return { body: pageAround(frame, title), contentType: HTML, policy: PAGE_POLICY };
}

/** A picture of SVG, drawn as an image. */
export function pictureDelivery(content: string, title: string): Delivery {
  const base64 = new TextEncoder().encode(content).toBase64();
  const image = `<img alt="${escapeHtml(title)}" src="data:image/svg+xml;base64,${base64}">`;
  return { body: pageAround(image, title), contentType: HTML, policy: PICTURE_POLICY };
}

/** The headers that every answer has, whatever it says. */
export function guardHeaders(policy: string = TEXT_POLICY): Record<string, string> {
  return {
    "content-security-policy": policy,
    // Of no place: it also covers what a Content-Security-Policy has no word for, such as connections that are opened ahead of need.
    "connection-allowlist": "()",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": PERMISSIONS,
    "x-dns-prefetch-control": "off",
    "cache-control": "private, no-store",
  };
}

const HTML = "text/html; charset=utf-8";

const STYLE =
  "html,body{margin:0;height:100%}iframe{display:block;border:0;width:100%;height:100%}img{max-width:100%}";

function pageAround(inner: string, title: string): string {
  return `<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${
    escapeHtml(title)
  }</title><style>${STYLE}</style></head><body>${inner}</body></html>\n`;
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
