/** What stands in for the outside in the process of the service. */
export type Beside = {
  /** Where the emulator of the Android Management API is that serves until Google is connected. */
  trialUrl?: (() => Promise<string | undefined>) | undefined
  /** The only authority that is trusted where the providers of push are, in PEM. */
  push_ca?: string | undefined
  /** The same for the receivers of webhooks. */
  webhook_ca?: string | undefined
}
