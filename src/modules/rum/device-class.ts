/** Kind of the device, by its User-Agent: precise enough to compare phones with desktops. */
export const DEVICE_CLASSES = ['desktop', 'mobile', 'tablet', 'bot'] as const
export type DeviceClass = (typeof DEVICE_CLASSES)[number]

/** @returns '' for an unknown device */
export function deviceClassOf(userAgent: string | undefined): DeviceClass | '' {
  if (userAgent === undefined) return ''
  const text = userAgent.slice(0, USER_AGENT_MAX_CHARS)
  if (BOT.test(text)) return 'bot'
  if (TABLET.test(text)) return 'tablet'
  // Android without `Mobile` is a tablet, by the convention of its browsers.
  if (/android/i.test(text)) return /mobile/i.test(text) ? 'mobile' : 'tablet'
  if (MOBILE.test(text)) return 'mobile'
  return DESKTOP.test(text) ? 'desktop' : ''
}

const USER_AGENT_MAX_CHARS = 1024
const BOT = /bot\b|crawl|spider|slurp|headless|lighthouse|facebookexternalhit/i
const TABLET = /ipad|tablet|kindle|silk\//i
const MOBILE = /iphone|ipod|windows phone|mobile/i
const DESKTOP = /windows nt|macintosh|x11|cros|linux/i
