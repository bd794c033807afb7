/** The entry point: validates the options and records only with consent. */
import { guard } from './hooks.ts'
import { type Recorder, startRecorder } from './recorder.ts'
import { createStore } from './storage.ts'
import type { Consent, RumHandle, RumOptions } from './types.ts'

export type { Consent, LogLevel, RumEvent, RumHandle, RumOptions, RumView } from './types.ts'

/** Never throws. Invalid options are reported on the console, and nothing is recorded. */
export function init(options: RumOptions): RumHandle {
  const fault = findFault(options)
  if (fault) console.error(`Vigil RUM: ${fault}`)
  const isPossible = !fault && typeof window !== 'undefined'
  const store = createStore(`vigil:${options?.api_key}:`, () => localStorage)
  let recorder: Recorder | undefined
  let isWanted = false
  let isStopped = !isPossible
  let isFromStart = true

  const forget = (): void => {
    recorder?.forget()
    recorder = undefined
  }
  const onForbidden = (): void => {
    console.error('Vigil RUM: the API key was refused; recording has stopped')
    forget()
    isStopped = true
  }
  const start = guard(() => {
    if (isWanted && !isStopped) recorder ??= startRecorder(options, store, isFromStart, onForbidden)
  })
  const setConsent = guard((consent: Consent) => {
    if (isStopped) return
    isWanted = consent === true || consent === 'granted'
    if (isWanted) return whenShown(start)
    forget()
    isFromStart = false
    if (consent === false) for (const name of ['session', 'queue']) store.remove(name)
  })
  setConsent(options?.consent ?? true)
  return {
    setConsent,
    view: guard((name) => recorder?.view(name)),
    action: guard((type, target) => recorder?.action(type, target)),
    error: guard((error) => recorder?.error(error)),
    log: guard((level, message) => recorder?.log(level, message)),
    flush: guard(() => recorder?.flush()),
    stop: guard(() => {
      recorder?.stop()
      recorder = undefined
      isStopped = true
    }),
  }
}

/** Browsers prerender pages that the user may never open. */
function whenShown(start: () => void): void {
  if (!(document as { prerendering?: boolean }).prerendering) return start()
  document.addEventListener('prerenderingchange', start, { once: true })
}

function findFault(options: RumOptions | undefined): string | undefined {
  const key = String(options?.api_key)
  if (key.startsWith('sk_'))
    return 'a secret key (sk_…) must never be in a page. Use a public key (pk_…) and revoke this one.'
  if (!key.startsWith('pk_')) return 'api_key must be a public key (pk_…)'
  if (!/^https?:\/\/\S+$/.test(String(options?.base_url))) return 'base_url must be an http(s) URL'
  return undefined
}
