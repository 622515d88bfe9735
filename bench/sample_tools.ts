/** Ten tools as programs have them: from one argument to nested ones, with the descriptions that authors write. */
import type { JsonSchema, Tool } from "../contracts/tool.ts";
import { defineTool } from "../tools/define_tool.ts";

function tool(name: string, description: string, parameters: Omit<JsonSchema, "type">): Tool {
  return defineTool({
    name,
    description,
    parameters: { type: "object", ...parameters } as JsonSchema,
    execute: () => null,
  });
}

const text = (description: string) => ({ type: "string", description });
const texts = (description: string) => ({ type: "array", items: { type: "string" }, description });

/** The tools. */
export const SAMPLE_TOOLS: readonly Tool[] = [
  tool("get_weather", "Get the current weather and the forecast for a location.", {
    properties: {
      location: text("City and country, for example Oslo, Norway"),
      days: {
        type: "integer",
        minimum: 1,
        maximum: 7,
        default: 1,
        description: "Days of forecast",
      },
      units: { type: "string", enum: ["celsius", "fahrenheit"], description: "Temperature units" },
    },
    required: ["location"],
    additionalProperties: false,
  }),
  tool(
    "web_search",
    "Search the web and return the most relevant results with their titles, addresses and a short extract.",
    {
      properties: {
        query: text("The search query"),
        max_results: {
          type: "integer",
          minimum: 1,
          maximum: 50,
          description: "How many results to return",
        },
        site: text("Restrict the search to this domain"),
        since: {
          type: "string",
          format: "date",
          description: "Only pages published on or after this date",
        },
      },
      required: ["query"],
    },
  ),
  tool(
    "send_email",
    "Send an email on behalf of the user. Ask for confirmation before calling it.",
    {
      properties: {
        to: {
          type: "array",
          items: { type: "string", format: "email" },
          minItems: 1,
          description: "Recipients",
        },
        cc: {
          type: "array",
          items: { type: "string", format: "email" },
          description: "Copy recipients",
        },
        subject: text("Subject line"),
        body: text("Plain text body of the message"),
        attachments: {
          type: "array",
          items: {
            type: "object",
            properties: { filename: { type: "string" }, url: { type: "string", format: "uri" } },
            required: ["filename", "url"],
          },
        },
      },
      required: ["to", "subject", "body"],
    },
  ),
  tool("create_event", "Create an event in the user's calendar.", {
    $defs: {
      moment: {
        type: "object",
        properties: { at: { type: "string", format: "date-time" }, zone: text("IANA time zone") },
        required: ["at"],
      },
    },
    properties: {
      title: text("Title of the event"),
      start: { $ref: "#/$defs/moment" },
      end: { $ref: "#/$defs/moment" },
      attendees: texts("Email addresses of the people to invite"),
      repeat: {
        anyOf: [{ type: "string", enum: ["daily", "weekly", "monthly"] }, { type: "null" }],
        default: null,
      },
    },
    required: ["title", "start", "end"],
  }),
  tool("list_issues", "List issues of a repository, newest first.", {
    properties: {
      owner: text("Owner of the repository"),
      repo: text("Name of the repository"),
      state: { type: "string", enum: ["open", "closed", "all"], default: "open" },
      labels: texts("Only issues that have all of these labels"),
      page: { type: "integer", minimum: 1 },
      per_page: { type: "integer", minimum: 1, maximum: 100 },
    },
    required: ["owner", "repo"],
  }),
  tool("create_issue", "Open a new issue in a repository.", {
    properties: {
      owner: text("Owner of the repository"),
      repo: text("Name of the repository"),
      title: text("Title of the issue"),
      body: text("Description of the issue, in Markdown"),
      labels: texts("Labels to put on the issue"),
      assignees: texts("User names of the people to assign"),
      milestone: { type: ["integer", "null"], description: "Number of the milestone" },
    },
    required: ["owner", "repo", "title"],
  }),
  tool("read_file", "Read a text file from the project. Long files are returned in parts.", {
    properties: {
      path: text("Path relative to the root of the project"),
      from_line: { type: "integer", minimum: 1, description: "First line to read" },
      to_line: { type: "integer", minimum: 1, description: "Last line to read" },
    },
    required: ["path"],
  }),
  tool(
    "run_query",
    "Run a read-only SQL query against the reporting database and return the rows.",
    {
      properties: {
        sql: text("A single SELECT statement"),
        parameters: {
          type: "object",
          additionalProperties: { type: ["string", "number", "null"] },
          description: "Values for named placeholders",
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: 10000,
          default: 100,
          description: "Most rows to return",
        },
      },
      required: ["sql"],
    },
  ),
  tool("translate", "Translate text between languages.", {
    properties: {
      text: text("The text"),
      target: text("ISO 639-1 code of the target language"),
      source: text("ISO 639-1 code of the source language; detected when left out"),
    },
    required: ["text", "target"],
  }),
  tool("now", "The current date and time in UTC.", { properties: {}, additionalProperties: false }),
];
