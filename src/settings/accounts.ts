/** Settings of sign-in, invitations and the request log. */
import { integer, type Setting } from '../platform/settings.ts'

export const ACCOUNT_SETTINGS = {
  access_token_minutes: integer(15, { min: 1, max: 1440 }, { help: 'Lifetime of an access token' }),
  refresh_token_days: integer(
    30,
    { min: 1, max: 365 },
    { help: 'Lifetime of a refresh token: a session that is not used for this long ends' },
  ),
  session_idle_minutes: integer(
    0,
    { min: 0, max: 525_600 },
    {
      help: 'Time after which a session that is not used ends, if it is shorter than `VIGIL_REFRESH_TOKEN_DAYS`; at least 5 minutes are sensible. 0: `VIGIL_REFRESH_TOKEN_DAYS` only',
    },
  ),
  session_days: integer(
    90,
    { min: 0, max: 3650 },
    { help: 'Time after which a session ends even if it is used. 0: no limit' },
  ),
  refresh_leeway_seconds: integer(
    10,
    { min: 0, max: 60 },
    {
      help: 'Grace period in which a refresh token may be used again. Later reuse ends the session. 0 disables it',
    },
  ),
  invitation_days: integer(
    7,
    { min: 1, max: 90 },
    { help: 'Time after which an invitation link expires' },
  ),
  organizations_per_owner: integer(
    10,
    { min: 1, max: 10_000 },
    {
      help: 'Maximum number of organizations that owners can reach by creating further ones, counted together with those of their co-owners that have the same origin. `vigil org create` has no limit',
    },
  ),
  audit_retention_days: integer(
    0,
    { min: 0, max: 36_500 },
    {
      help: 'Age at which entries of the audit logs are deleted, those of device management included. They are deleted by the month, so they stay for up to a month longer. 0 keeps them',
    },
  ),
  request_log_per_second: integer(
    50,
    { min: 0, max: 1000 },
    {
      help: 'Maximum entries of the request log per organization and second, for each process. 0 turns the request log off',
    },
  ),
} as const satisfies Record<string, Setting<unknown>>
