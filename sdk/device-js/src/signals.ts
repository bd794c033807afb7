/** The file that is loaded when the device is first measured: facts about the browser, and their signature. */
import { findAlterations } from './alterations.ts'
import { detectAutomation } from './automation.ts'
import { type Fingerprint, identify, rendererOf } from './fingerprint.ts'

export { signReport } from './report.ts'

export type DeviceFacts = Partial<Fingerprint> & {
  platform: string
  /** Whether the browser says that it runs on a phone or tablet. */
  is_mobile: boolean
  touch_points: number
  webdriver: boolean
  /** What drives the browser, as BotD names it. */
  bot_kind?: string
  /** Names of changes of the browser by a script or an extension. */
  alterations: string[]
  /** The graphics driver; only with consent. */
  renderer?: string
}

/** @param storedId absent without consent; only with it, invisible images and text are rendered */
export async function measure(storedId?: () => string | undefined): Promise<DeviceFacts> {
  const hasConsent = storedId !== undefined
  const { userAgent, platform, maxTouchPoints, webdriver } = navigator
  const [bot_kind, fingerprint] = await Promise.all([
    detectAutomation(hasConsent),
    storedId && identify(storedId),
  ])
  const renderer = hasConsent ? rendererOf() : undefined
  return {
    ...fingerprint,
    platform: platform.slice(0, 64),
    is_mobile: /android|iphone|ipad|mobile/i.test(userAgent),
    touch_points: maxTouchPoints,
    webdriver,
    ...(bot_kind !== undefined && { bot_kind }),
    alterations: findAlterations(),
    ...(renderer !== undefined && { renderer }),
  }
}
