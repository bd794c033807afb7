/** Registers the device and sends its heartbeats, independently of log entries. */
import type { Api, Outcome } from './api.ts'
import { BLOCKED_MS, backoffMs } from './backoff.ts'
import type { DeviceFields, Timers } from './types.ts'

export type PresenceOptions = {
  api: Api
  device: DeviceFields
  heartbeat_seconds: number
  random: () => number
  timers: Timers
  report: (message: string | undefined) => void
}

export type Presence = { isRegistered: () => boolean; stop: () => void }

export function startPresence(options: PresenceOptions): Presence {
  const { api, device, heartbeat_seconds, random, timers, report } = options
  let isRegistered = false
  let isStopped = false
  let failures = 0
  let timer: unknown

  const later = (run: () => Promise<void>, ms: number): void => {
    if (!isStopped) timer = timers.set(() => void run(), ms)
  }
  const pauseAfter = (outcome: Outcome): number => {
    failures += 1
    if (outcome.kind === 'blocked') return BLOCKED_MS
    const requestedMs = outcome.kind === 'later' ? outcome.wait_ms : undefined
    return requestedMs ?? backoffMs(failures, random())
  }
  const register = async (): Promise<void> => {
    const outcome = await api.register(device)
    if (outcome.kind === 'accepted') {
      isRegistered = true
      failures = 0
      report(undefined)
      return beatLater()
    }
    report(`The device is not registered: ${outcome.reason}`)
    // A retry with the same fields cannot succeed, but heartbeats are still useful.
    return outcome.kind === 'rejected' ? beatLater() : later(register, pauseAfter(outcome))
  }
  const beat = async (): Promise<void> => {
    const outcome = await api.heartbeat()
    if (outcome.kind === 'blocked' && outcome.status === 404 && isRegistered) {
      isRegistered = false
      return register()
    }
    return beatLater()
  }
  const beatLater = (): void => {
    if (heartbeat_seconds > 0) later(beat, heartbeat_seconds * 1_000)
  }
  void register()
  return {
    isRegistered: () => isRegistered,
    stop: () => {
      isStopped = true
      timers.clear(timer)
    },
  }
}
