/** Options of a call that every operation has. */
export type CallOptions = {
  /** Ends the call, including its repetitions. */
  signal?: AbortSignal | undefined
  /** Deadline of each attempt, in milliseconds. */
  timeout_ms?: number | undefined
}

export type PushOptions = CallOptions & {
  /** 1 to 255 visible ASCII characters; the same key sends nothing again for seven days. Random by default. */
  idempotency_key?: string | undefined
}

/** An access token, or a function that returns one and is called before each attempt. */
export type AccessToken = string | (() => string | Promise<string>)

export type VigilOptions = {
  /** URL of the service, which ends with `/v1`. */
  base_url: string
  /** For checks, orders, profiles, cashiers, ingestion and push. */
  api_key?: string | undefined
  /** For webhooks, device management and reading logs. */
  access_token?: AccessToken | undefined
  /** Deadline of each attempt, in milliseconds. */
  timeout_ms?: number | undefined
  /** Deadline of a call with all of its repetitions, in milliseconds; at most 14 minutes. */
  total_ms?: number | undefined
  /** Greatest number of repetitions. */
  retries?: number | undefined
  /** Pause before the first repetition, in milliseconds. */
  backoff_ms?: number | undefined
  /** The `fetch` to use, for example with a proxy or with another certificate authority. */
  fetch?: typeof fetch | undefined
}
