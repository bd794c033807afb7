/**
 * Finds what was changed about the browser: programs that hide themselves replace properties that pages ask
 * for, and so do some extensions for privacy.
 */

const ASKED = [
  'webdriver',
  'userAgent',
  'platform',
  'languages',
  'plugins',
  'hardwareConcurrency',
  'deviceMemory',
  'maxTouchPoints',
  'vendor',
]

export function findAlterations(): string[] {
  const found: string[] = []
  const own = Object.getOwnPropertyNames(navigator)
  if (ASKED.some((name) => own.includes(name) || !isNativeGetter(name)))
    found.push('navigator_replaced')
  if (!('webdriver' in navigator)) found.push('webdriver_removed')
  const { toDataURL } = HTMLCanvasElement.prototype
  const { getImageData } = CanvasRenderingContext2D.prototype
  if (!isNative(toDataURL) || !isNative(getImageData)) found.push('canvas_replaced')
  if (contradictsItself()) found.push('user_agent_contradicts')
  return found
}

/** A property that the browser does not have was not replaced. */
function isNativeGetter(name: string): boolean {
  const getter = Object.getOwnPropertyDescriptor(Navigator.prototype, name)?.get
  return getter === undefined || isNative(getter)
}

const isNative = (run: unknown): boolean =>
  /\{\s*\[native code\]\s*\}\s*$/.test(Function.prototype.toString.call(run))

/** Names of systems in the client hints, with what the user agent says on them. */
const SYSTEMS: Readonly<Record<string, RegExp>> = {
  Windows: /Windows/,
  macOS: /Mac OS X/,
  Android: /Android/,
  Linux: /Linux|X11/,
}

function contradictsItself(): boolean {
  const { userAgent, userAgentData } = navigator as Navigator & {
    userAgentData?: { platform?: string }
  }
  const system = SYSTEMS[userAgentData?.platform ?? '']
  return system !== undefined && !system.test(userAgent)
}
