import type { Passwords } from '../modules/accounts/index.ts'

/** Replacements for external systems and files, for the demo, trials and tests. */
export type Outside = {
  /** Address of the Android Management emulator, which is used until Google is connected. */
  trialUrl?: (() => Promise<string | undefined>) | undefined
  /** The only trusted certificate authority for push providers, in PEM. */
  push_ca?: string | undefined
  /** The only trusted certificate authority for webhook receivers, in PEM. */
  webhook_ca?: string | undefined
  /** Hashes passwords at a lower cost. */
  passwords?: Passwords | undefined
  /** Folder of the built console, by default that of the package. */
  pages?: string | undefined
}
