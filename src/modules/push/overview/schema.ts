/** Setup of applications as returned by the console API. */

import type { ShownCredential } from '../credentials/schema.ts'
import type { PushProvider } from '../tables.ts'

export type ApplicationSetup = {
  application_id: string
  /** Null when not configured. */
  android_package_name: string | null
  ios_bundle_id: string | null
  credentials: { provider: PushProvider; status: ShownCredential['status'] }[]
}
