/** Tells the service that the device exists and is alive. Log entries do not wait for it. */
import type { Api, Outcome } from './api.ts'
import { BLOCKED_MS, backoffMs } from './pauses.ts'
import type { DeviceFields, Timers } from './types.ts'

export type PresenceOptions = {
  api: Api
  device: DeviceFields
  heartbeat_seconds: number
  random: () => number
  timers: Timers
  say: (message: string | undefined) => void
}

export type Presence = { isRegistered: () => boolean; stop: () => void }

export function startPresence(options: PresenceOptions): Presence {
  const { api, device, heartbeat_seconds, random, timers, say } = options
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
    const told = outcome.kind === 'later' ? outcome.wait_ms : undefined
    return told ?? backoffMs(failures, random())
  }
  const register = async (): Promise<void> => {
    const outcome = await api.register(device)
    if (outcome.kind === 'accepted') {
      isRegistered = true
      failures = 0
      say(undefined)
      return beatLater()
    }
    say(`The device is not registered: ${outcome.reason}`)
    // The fields of the device will not get better; that it is alive can be told all the same.
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
