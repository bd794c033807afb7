/** Settings of sessions in the browser, invitations, and the request log. */
import { integer, type Setting } from '../platform/settings.ts'

export const ACCOUNT_SETTINGS = {
  refresh_leeway_seconds: integer(
    10,
    { min: 0, max: 60 },
    {
      help: 'A refresh token that comes again so soon after its first use does not end the session; 0 ends it at once',
    },
  ),
  invitation_days: integer(
    7,
    { min: 1, max: 90 },
    { help: 'The link of an invitation works for so long' },
  ),
  request_log_per_second: integer(
    50,
    { min: 0, max: 1000 },
    {
      help: 'Entries of the request log that a process keeps per organisation and second; 0 keeps none',
    },
  ),
} as const satisfies Record<string, Setting<unknown>>
