/** Where a request to sign in comes from. */
import type { IncomingHttpHeaders } from 'node:http'
import { randomBase62 } from '../../../platform/crypto/tokens.ts'
import { canonicalIp } from '../../../platform/http/client-ip.ts'
import type { KnownBrowser } from './known-browser.ts'
import type { Origin } from './tokens.ts'

type Request = { ip: string; headers: IncomingHttpHeaders }

/** 130 bits. */
const BROWSER_ID_CHARS = 22

/** @param browser `new` for one without a cookie; undefined for programs */
export function originOf(request: Request, browser: KnownBrowser | 'new' | undefined): Origin {
  const origin = { user_agent: request.headers['user-agent'], address: addressOf(request) }
  if (browser === undefined) return origin
  const { browser_id, user_id }: Partial<KnownBrowser> = browser === 'new' ? {} : browser
  const id = browser_id ?? randomBase62(BROWSER_ID_CHARS)
  return { ...origin, browser: { id, ...(user_id !== undefined && { user_id }) } }
}

export const addressOf = ({ ip }: Pick<Request, 'ip'>): string => canonicalIp(ip) ?? ip
