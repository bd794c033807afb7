export type LoadRequest = {
  path: string
  /** Header lines in addition to the usual ones. */
  headers?: string
  /** Characters are bytes. */
  body: string
  /** Text that the response to this very request has to contain. */
  echo: string
  /** Responses with this text are counted. */
  mark?: string
  /** A 429 is an expected response. */
  may_be_refused?: boolean
  /** Number of the organization that sends the request. */
  organization: number
}
