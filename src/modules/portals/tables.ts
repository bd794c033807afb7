import type { Mode } from '../../platform/owner.ts'
import type { WebhookTables } from '../webhooks/tables.ts'

export type PortalTables = {
  portals: {
    org_id: string
    id: string
    mode: Mode
    name: string
    events: string[]
    /** As people wrote it. Written as JSON. */
    filter: WebhookTables['webhook_endpoints']['filter']
    /** The form in which the fan-out evaluates it. */
    filter_path: string | null
    endpoints_max: number
    allowed_origins: string[]
    created_at: Date
    updated_at: Date
  }
  portal_links: {
    id: string
    org_id: string
    portal_id: string
    token_hash: Buffer
    note: string
    created_at: Date
    created_by: string | null
    expires_at: Date
    ended_at: Date | null
    last_used_at: Date | null
  }
}
