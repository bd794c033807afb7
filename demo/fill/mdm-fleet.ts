/** The phones while the story goes on: who is who, and waiting for what they do. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Fate, PhonePolicy, StoryPhone } from '../story/phones.ts'
import type { Ask } from './ask.ts'

export type Fleet = {
  ask: Ask
  policies: Map<PhonePolicy, { id: string; policy_json: Record<string, unknown> }>
  tokens: Map<PhonePolicy, string>
  groups: Map<string, string>
  phones: Map<string, { story: StoryPhone; device_id: string; phone_id: string }>
}

const PATIENCE_MS = 30_000
const POLL_MS = 25

export const withFate = ({ phones }: Fleet, fate: Fate) =>
  [...phones.values()].filter(({ story }) => story.fate === fate)

export async function remove(fleet: Fleet, fate: Fate): Promise<void> {
  for (const { device_id } of withFate(fleet, fate))
    await fleet.ask('DELETE', `/v1/mdm/devices/${device_id}`)
}

export async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > deadline)
      throw new Error('the phones did not do what was expected of them')
    await pause(POLL_MS)
  }
}
