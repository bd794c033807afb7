/**
 * The entry point: records how the form is used from the start, and loads the file that measures the
 * device when it is first needed. It sends nothing.
 */
import { recordBehavior } from './behavior.ts'
import { forgetId, storedId } from './stored-id.ts'
import type { Behavior, Collected, Consent, DeviceHandle, DeviceOptions } from './types.ts'

const NO_BEHAVIOR: Behavior = {
  page_ms: 0,
  form_ms: 0,
  fields: 0,
  insertions: 0,
  corrections: 0,
  pastes: 0,
  replacements: 0,
  scripted_changes: 0,
  clicks: 0,
  pointer_moves: 0,
  departures: 0,
}

/** Never throws. Invalid options are reported on the console, and nothing is measured. */
export function init(options: DeviceOptions): DeviceHandle {
  const fault = findFault(options)
  if (fault) console.error(`Vigil device: ${fault}`)
  if (fault || typeof document === 'undefined') {
    const nothing = (): Promise<Collected> => Promise.resolve({ device: {}, behavior: NO_BEHAVIOR })
    return { collect: nothing, setConsent: () => undefined, stop: () => undefined }
  }
  const recorder = recordBehavior(options.form ?? document, () => performance.now())
  let hasConsent = false
  const setConsent = (consent: Consent): void => {
    hasConsent = consent === true || consent === 'granted'
    if (consent === false) forgetId()
  }
  setConsent(options.consent ?? true)
  return {
    collect: async () => {
      const behavior = recorder.summary()
      try {
        const { measure, signReport } = await import('./signals.ts')
        const device = await measure(hasConsent ? storedId : undefined)
        const { fingerprint_hash } = device
        const named = { ...(fingerprint_hash !== undefined && { fingerprint_hash }) }
        const signed_report = await signReport(options.api_key, { device, behavior })
        return {
          ...named,
          device: { ...named, ...(signed_report !== undefined && { signed_report }) },
          behavior,
        }
      } catch (error) {
        console.error('Vigil device: the device could not be measured', error)
        return { device: {}, behavior }
      }
    },
    setConsent,
    stop: recorder.stop,
  }
}

function findFault(options: DeviceOptions | undefined): string | undefined {
  const key = String(options?.api_key)
  if (key.startsWith('sk_'))
    return 'a secret key (sk_…) must never be in a page. Use a public key (pk_…) and revoke this one.'
  return key.startsWith('pk_') ? undefined : 'api_key must be a public key (pk_…)'
}
