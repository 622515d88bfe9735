/**
 * What the clock shows at 40 instants, worked out by another program from the IANA database and read through by hand: edges of summer time in six zones, a day that
 * a zone left out, offsets that are no whole hours, no whole minutes, and gaps from nothing to years.
 *
 * Instant, zone, seconds since the last message (-: there was none), what is shown, the gap in words (-: nothing is told).
 */
export const TEMPORAL_TABLE = `
2026-09-27T22:15:00Z | America/Sao_Paulo | 14700 | Sunday, 2026-09-27 19:15:00 -0300 | 4 hours
2018-11-04T02:59:59Z | America/Sao_Paulo | - | Saturday, 2018-11-03 23:59:59 -0300 | -
2018-11-04T03:00:00Z | America/Sao_Paulo | 1 | Sunday, 2018-11-04 01:00:00 -0200 | 1 second
2019-02-17T01:59:59Z | America/Sao_Paulo | 59 | Saturday, 2019-02-16 23:59:59 -0200 | 59 seconds
2019-02-17T02:00:00Z | America/Sao_Paulo | 60 | Saturday, 2019-02-16 23:00:00 -0300 | 1 minute
2026-03-08T06:59:59Z | America/New_York | 119 | Sunday, 2026-03-08 01:59:59 -0500 | 1 minute
2026-03-08T07:00:00Z | America/New_York | 120 | Sunday, 2026-03-08 03:00:00 -0400 | 2 minutes
2026-11-01T05:30:00Z | America/New_York | 3599 | Sunday, 2026-11-01 01:30:00 -0400 | 59 minutes
2026-11-01T06:30:00Z | America/New_York | 3600 | Sunday, 2026-11-01 01:30:00 -0500 | 1 hour
2026-03-29T00:59:59Z | Europe/Berlin | 7199 | Sunday, 2026-03-29 01:59:59 +0100 | 1 hour
2026-03-29T01:00:00Z | Europe/Berlin | 7200 | Sunday, 2026-03-29 03:00:00 +0200 | 2 hours
2026-10-25T00:30:00Z | Europe/Berlin | 86399 | Sunday, 2026-10-25 02:30:00 +0200 | 23 hours
2026-10-25T01:30:00Z | Europe/Berlin | 86400 | Sunday, 2026-10-25 02:30:00 +0100 | 1 day
2026-10-25T01:00:00Z | Europe/London | 172799 | Sunday, 2026-10-25 01:00:00 +0000 | 1 day
2026-01-15T12:00:00Z | Europe/Dublin | 172800 | Thursday, 2026-01-15 12:00:00 +0000 | 2 days
2026-04-04T14:59:59Z | Australia/Lord_Howe | 1126800 | Sunday, 2026-04-05 01:59:59 +1100 | 13 days
2026-04-04T15:00:00Z | Australia/Lord_Howe | 1209599 | Sunday, 2026-04-05 01:30:00 +1030 | 13 days
2026-10-03T15:30:00Z | Australia/Lord_Howe | 1209600 | Sunday, 2026-10-04 02:30:00 +1100 | 2 weeks
2026-07-01T00:00:00Z | Asia/Kathmandu | 1728000 | Wednesday, 2026-07-01 05:45:00 +0545 | 2 weeks
2026-12-31T18:30:00Z | Asia/Kolkata | 1814400 | Friday, 2027-01-01 00:00:00 +0530 | 3 weeks
2026-01-10T03:29:59Z | America/St_Johns | 5097600 | Friday, 2026-01-09 23:59:59 -0330 | 8 weeks
2026-07-10T03:29:59Z | America/St_Johns | 5184000 | Friday, 2026-07-10 00:59:59 -0230 | 8 weeks
2026-04-04T13:59:59Z | Pacific/Chatham | 5270400 | Sunday, 2026-04-05 03:44:59 +1345 | 2 months
2026-04-04T14:00:00Z | Pacific/Chatham | 7948800 | Sunday, 2026-04-05 02:45:00 +1245 | 3 months
2026-12-31T10:00:00Z | Pacific/Kiritimati | 15552000 | Friday, 2027-01-01 00:00:00 +1400 | 5 months
2027-01-01T10:59:59Z | Pacific/Pago_Pago | 31449600 | Thursday, 2026-12-31 23:59:59 -1100 | 11 months
2011-12-30T09:59:59Z | Pacific/Apia | 31536000 | Thursday, 2011-12-29 23:59:59 -1000 | 1 year
2011-12-30T10:00:00Z | Pacific/Apia | 31622400 | Saturday, 2011-12-31 00:00:00 +1400 | 1 year
2026-05-05T15:15:15Z | Australia/Eucla | 63158400 | Wednesday, 2026-05-06 00:00:15 +0845 | 2 years
2026-06-21T20:30:00Z | Asia/Tehran | 316224000 | Monday, 2026-06-22 00:00:00 +0330 | 10 years
1960-06-01T00:00:00Z | Africa/Monrovia | 0 | Tuesday, 1960-05-31 23:15:30 -004430 | less than a second
1972-01-07T00:44:30Z | Africa/Monrovia | -1 | Friday, 1972-01-07 00:44:30 +0000 | -
1900-01-01T12:00:00Z | America/Sao_Paulo | -34560000 | Monday, 1900-01-01 08:53:32 -030628 | -
2026-02-15T01:59:59Z | Africa/Casablanca | - | Sunday, 2026-02-15 02:59:59 +0100 | -
2024-02-29T23:59:59Z | UTC | - | Thursday, 2024-02-29 23:59:59 +0000 | -
2000-02-29T00:00:00Z | UTC | - | Tuesday, 2000-02-29 00:00:00 +0000 | -
2026-03-01T02:59:59Z | Etc/GMT+3 | - | Saturday, 2026-02-28 23:59:59 -0300 | -
1969-12-31T23:59:59Z | Asia/Tokyo | - | Thursday, 1970-01-01 08:59:59 +0900 | -
9999-12-31T20:59:59Z | Europe/Moscow | - | Friday, 9999-12-31 23:59:59 +0300 | -
0001-01-02T00:00:00Z | America/Los_Angeles | - | Monday, 0001-01-01 16:07:02 -075258 | -
`;
