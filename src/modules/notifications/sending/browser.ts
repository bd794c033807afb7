/** Messages to the browsers of members. A browser is notified for as long as the session lasts that it belongs to. */
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { encryptForBrowser } from '../../../platform/web-push/encryption.ts'
import { type VapidKeys, vapidHeader } from '../../../platform/web-push/vapid.ts'
import { deleteBrowser, isSignedIn } from '../browsers/store.ts'
import type { Summary } from '../content/summary.ts'

/** Keys are in base64url. */
export type BrowserSecret = VapidKeys & {
  endpoint: string
  p256dh: string
  auth: string
  session_id: string
}

type Browser = { org_id: string; channel_id: string; id: string; browser_of: string | null }
type Content = Browser & { browser: BrowserSecret; summary: Summary }
type Sending = { directory: Db; now: Date; pages: string }

/** A browser that is off for longer shows what lasts in the console. */
const TTL_SECONDS = 86_400
const TEXT_MAX_CHARS = 500

/** @returns undefined when the session has ended, or the person is not a member any more */
export async function browserRequest(
  { directory, now, pages }: Sending,
  { org_id, id, browser_of, browser, summary }: Content,
) {
  const { endpoint, p256dh, auth, session_id } = browser
  if (!(await isSignedIn(directory, { org_id, user_id: browser_of, session_id }))) return undefined
  const [first] = summary.lines
  const message = {
    title: summary.title.slice(0, TEXT_MAX_CHARS),
    body: (first?.detail ?? '').slice(0, TEXT_MAX_CHARS),
    severity: summary.severity,
    // A message that is sent again replaces itself.
    tag: id,
    url: summary.url,
  }
  const keys = { p256dh: Buffer.from(p256dh, 'base64url'), auth: Buffer.from(auth, 'base64url') }
  const subject = new URL(pages).origin
  return {
    url: endpoint,
    headers: {
      authorization: await vapidHeader(browser, { endpoint, subject, now }),
      'content-encoding': 'aes128gcm',
      'content-type': 'application/octet-stream',
      ttl: String(TTL_SECONDS),
      urgency: summary.severity === 'critical' ? 'high' : 'normal',
    },
    body: encryptForBrowser(Buffer.from(JSON.stringify(message)), keys),
  }
}

/** Removes the browser, at which no message arrives any more. */
export async function endBrowser(
  db: Database,
  { org_id, channel_id, browser_of }: Browser,
): Promise<void> {
  if (browser_of === null) return
  await db
    .transaction()
    .execute(async (tx) => await deleteBrowser(tx, { org_id, user_id: browser_of }, channel_id))
}
