/**
 * The identity of a browser from FingerprintJS. Only sources that stay the same for weeks are used:
 * not the versions and extensions that change with an update of the browser, nor what people set (language,
 * time zone, zoom, colors, contrast, screens), nor what differs in private windows (storage, blockers).
 */
import {
  type Component,
  hashComponents,
  isAndroid,
  isGecko,
  isWebKit,
  loadSources,
  sources,
} from '@fingerprintjs/fingerprintjs'
import { drawnPixels } from './drawing.ts'

export type Fingerprint = {
  fingerprint_hash: string
  /** `browser`: the same in private windows. `storage`: a random id that people can remove. */
  fingerprint_source: 'browser' | 'storage'
  /** How likely two devices with the same hash are the same one, 0 to 1. */
  confidence: number
}

const {
  architecture,
  audio,
  cpuClass,
  deviceMemory,
  fonts,
  hardwareConcurrency,
  platform,
  touchSupport,
  userAgentData,
  vendor,
  vendorFlavors,
  webGlBasics,
} = sources

const STABLE = {
  userAgentData,
  fonts,
  audio,
  deviceMemory,
  hardwareConcurrency,
  cpuClass,
  platform,
  touchSupport,
  vendor,
  vendorFlavors,
  architecture,
  webGlBasics,
}

/** FingerprintJS's own estimates for Windows, macOS and other systems. */
const CONFIDENCE: readonly [RegExp, number][] = [
  [/^Win/, 0.6],
  [/^Mac/, 0.5],
]
const OTHER_CONFIDENCE = 0.7
/** A random id of 122 bits. */
const STORED_CONFIDENCE = 1

export async function identify(
  storedId: () => string | undefined,
): Promise<Fingerprint | undefined> {
  // Phones of one model look alike, so people would share a device. Safari and Brave add noise, so a device
  // would have several hashes.
  if (isWebKit() || isAndroid() || 'brave' in navigator) return identifyByStorage(storedId())
  const components = await loadSources(STABLE, { cache: {} }, [])()
  const named = valueOf(components.userAgentData)
  const driver = valueOf(components.webGlBasics)
  const memory = valueOf(components.deviceMemory)
  const cores = valueOf(components.hardwareConcurrency)
  const sound = valueOf(components.audio)
  const stable = {
    ...components,
    // Updates of the operating system change its version, those of the browser that of WebGL.
    userAgentData: part({ ...named, platformVersion: 0 }),
    webGlBasics:
      typeof driver === 'object' ? part([driver.vendorUnmasked, driver.rendererUnmasked]) : part(0),
    // Up to Chromium 143, 8 is the maximum.
    deviceMemory: part(memory && Math.min(memory, 8)),
    // Firefox 153 says 8 or 4, version 140 the real number.
    hardwareConcurrency: part(cores && isGecko() ? (cores < 8 ? 4 : 8) : cores),
    // Between Chromium 150 and 156, the eighth digit changed.
    audio: part(sound && Math.round(sound * 100)),
    // Firefox adds noise in private windows.
    drawing: part(isGecko() ? 0 : drawnPixels()),
  }
  const [, confidence] = CONFIDENCE.find(([system]) => system.test(navigator.platform)) ?? []
  return {
    fingerprint_hash: hashComponents(stable),
    fingerprint_source: 'browser',
    confidence: confidence ?? OTHER_CONFIDENCE,
  }
}

const valueOf = <T>(component: Component<T>): T | undefined =>
  'value' in component ? component.value : undefined

const part = (value: unknown) => ({ value, duration: 0 })

function identifyByStorage(id: string | undefined): Fingerprint | undefined {
  if (id === undefined) return undefined
  const fingerprint_hash = hashComponents({ id: part(id) })
  return { fingerprint_hash, fingerprint_source: 'storage', confidence: STORED_CONFIDENCE }
}

export function rendererOf(): string | undefined {
  const basics = webGlBasics({ cache: {} })
  if (typeof basics === 'number') return undefined
  return (basics.rendererUnmasked || basics.renderer).slice(0, 200) || undefined
}
