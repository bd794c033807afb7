/** What key types and meters are called. */
import type { KeyRecord } from '../../../../src/modules/keys/schema.ts'

export const KEY_NAMES: Record<KeyRecord['type'], string> = {
  live_secret: 'Live, secret',
  test_secret: 'Test, secret',
  live_public: 'Live, public',
  test_public: 'Test, public',
}

const METERS: Record<string, string> = {
  check: 'Checks',
  order: 'Orders',
  edge_log: 'Log entries',
  rum_event: 'Browser events',
  rum_session: 'Browser sessions',
}

export const meterName = (meter: string): string => METERS[meter] ?? meter
