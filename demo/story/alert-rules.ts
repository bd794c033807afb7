/** Log alert rules of the organization. The first one has been firing since the firmware update. */
import type { CreateAlert } from '../../src/modules/edge/alerts/schema.ts'

export const ALERT_RULES: readonly Omit<CreateAlert, 'org_id'>[] = [
  {
    name: 'Receipts are not printed',
    condition: { level: 'error,fatal', category: 'printing', environment: 'production' },
    threshold: 45,
    window_minutes: 1440,
  },
  {
    name: 'Payment gateway is slow',
    condition: { level: 'error', category: 'network' },
    threshold: 60,
    window_minutes: 60,
  },
  {
    name: 'Scanners disconnect',
    condition: { level: 'error', category: 'scanner', q: 'disconnected' },
    threshold: 25,
    window_minutes: 30,
  },
]
