/** What adapters learn about a mail domain from outside; both are carried as Lookup<…>. */

export type MailRoute = {
  status: 'mx' | 'implicit_mx' | 'null_mx' | 'no_mail' | 'nxdomain'
  /** Host names that take the mail, best first; empty when there are none. */
  hosts: string[]
  /** The hosts lead to a loopback, private or otherwise unreachable address. */
  points_inward: boolean
}

export type Registration = {
  status: 'registered' | 'not_registered'
  /** ISO 8601 instant, null when the registry does not tell. */
  registered_at: string | null
}
