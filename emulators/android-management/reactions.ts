/** When phones talk by themselves: each once after its reaction time, few at a time. */
import type { Timers } from '../timers.ts'
import type { Core } from './core.ts'
import type { Phone } from './state.ts'

/** Phones that talk before other work gets its turn. */
const MAX_TURN = 50

export function createReactions(timers: Timers, talk: (phone: Phone) => void): Core['wake'] {
  const asked = new Set<string>()
  const ready: Phone[] = []
  let isRunning = false

  const run = () => {
    for (const phone of ready.splice(0, MAX_TURN)) {
      asked.delete(phone.id)
      if (phone.is_automatic) talk(phone)
    }
    isRunning = ready.length > 0
    if (isRunning) timers.later(0, run)
  }

  return (phone) => {
    if (phone.is_silent || !phone.is_automatic || asked.has(phone.id)) return
    asked.add(phone.id)
    timers.later(phone.reaction_ms, () => {
      ready.push(phone)
      if (isRunning) return
      isRunning = true
      timers.later(0, run)
    })
  }
}
