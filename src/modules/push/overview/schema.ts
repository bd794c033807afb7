/** How the applications of an organisation are set up, as a list of them shows it. */
import type { PushProvider } from '../../../platform/postgres/tables/push.ts'
import type { ShownCredential } from '../credentials/schema.ts'

export type ApplicationSetup = {
  application_id: string
  /** Null: not configured. */
  android_package_name: string | null
  ios_bundle_id: string | null
  credentials: { provider: PushProvider; status: ShownCredential['status'] }[]
}
