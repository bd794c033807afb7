/** Schedules the check-ins of automatic phones: each after its reaction time, a few at a time. */
import type { Timers } from '../timers.ts'
import type { Core } from './core.ts'
import type { Phone } from './state.ts'

/** Number of check-ins before the event loop runs other work. */
const BATCH_SIZE = 50

export function createCheckIns(timers: Timers, checkIn: (phone: Phone) => void): Core['wake'] {
  const scheduled = new Set<string>()
  const ready: Phone[] = []
  let isRunning = false

  const run = () => {
    for (const phone of ready.splice(0, BATCH_SIZE)) {
      scheduled.delete(phone.id)
      if (phone.is_automatic) checkIn(phone)
    }
    isRunning = ready.length > 0
    if (isRunning) timers.later(0, run)
  }

  return (phone) => {
    if (phone.is_silent || !phone.is_automatic || scheduled.has(phone.id)) return
    scheduled.add(phone.id)
    timers.later(phone.reaction_ms, () => {
      ready.push(phone)
      if (isRunning) return
      isRunning = true
      timers.later(0, run)
    })
  }
}
