/** Settings of notifications and of the mail server that sends them. */
import { integer, optionalFormed, optionalUrl, type Setting } from '../platform/settings.ts'

export const NOTIFICATION_SETTINGS = {
  smtp_url: optionalUrl(['smtp', 'smtps'], {
    help: 'Mail server that sends e-mails, such as `smtps://user:password@mail.example.com:465`. With `smtp`, TLS is used where the server offers it; `?requireTLS=true` demands it. Without it there are no e-mails',
    secret: true,
  }),
  smtp_from: optionalFormed(
    { accepts: (given) => /^[^@]*[^@\s<]@[^@\s>]+>?$/.test(given), what: 'an e-mail address' },
    {
      help: 'Sender of e-mails, such as `Vigil <vigil@example.com>`. Required with `VIGIL_SMTP_URL`',
    },
  ),
  notification_poll_ms: integer(
    1000,
    { min: 10, max: 60_000 },
    { help: 'Polling interval for notifications and messages that are due' },
  ),
  notification_watch_seconds: integer(
    60,
    { min: 1, max: 600 },
    {
      help: 'Interval of the job that looks for states and audited actions to notify people of. A state that begins and ends between two runs is not reported',
    },
  ),
  notification_retention_days: integer(
    90,
    { min: 1, max: 3650 },
    { help: 'Age at which notifications that do not last any more, and messages, are deleted' },
  ),
} as const satisfies Record<string, Setting<unknown>>
