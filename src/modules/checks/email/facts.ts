/** Facts about a mail domain that adapters look up; both are passed on as `Lookup`. */

export type MailRoute = {
  status: 'mx' | 'implicit_mx' | 'null_mx' | 'no_mail' | 'nxdomain'
  /** Names of the mail hosts, the preferred one first; empty without any. */
  hosts: string[]
  /** Whether a host has a loopback, private or otherwise unreachable address. */
  points_inward: boolean
}

export type Registration = {
  status: 'registered' | 'not_registered'
  /** ISO 8601 instant, null when the registry does not publish it. */
  registered_at: string | null
}
