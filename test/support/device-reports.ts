/** Signs reports as the device SDK does, with members of the test's choice. */
import { createHash, createHmac, randomBytes } from 'node:crypto'

/** The measurements of an ordinary browser. */
export const ORDINARY_DEVICE = {
  fingerprint_hash: 'cc41266ca50120d55e50c26f52ef0066',
  fingerprint_source: 'browser',
  confidence: 0.6,
  platform: 'Win32',
  is_mobile: false,
  touch_points: 0,
  webdriver: false,
  alterations: [],
  renderer: 'ANGLE (Intel, Intel(R) UHD Graphics 620, D3D11)',
}

export type ReportMembers = {
  id?: unknown
  issued_at?: unknown
  key?: unknown
  device?: unknown
  behavior?: unknown
}

export const newReportId = (): string => randomBytes(16).toString('base64url')

export function signedReport(apiKey: string, members: ReportMembers = {}): string {
  const payload = {
    id: newReportId(),
    issued_at: Date.now(),
    key: `${apiKey.slice(0, 8)}…${apiKey.slice(-4)}`,
    device: ORDINARY_DEVICE,
    behavior: { page_ms: 4000, insertions: 12 },
    ...members,
  }
  const signed = `vdr1.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`
  const key = createHash('sha256').update(apiKey).digest()
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
}
