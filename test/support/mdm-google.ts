/** A fake of Google that records the commands it accepted, whether or not the sender got the answer. */
import type {
  Answer,
  ProviderFault,
  WireCommand,
  WireOperation,
} from '../../src/modules/mdm/providers/port.ts'
import { fakeProvider, fault, ok } from './mdm-dispatch.ts'

/**
 * `take`: accepted and answered. `take_silently`: accepted, but the answer is lost. `lose`: the request
 * is lost, which looks the same to the sender.
 */
export type Behavior = 'take' | 'take_silently' | 'lose' | Partial<ProviderFault>

export type Taken = { device: string; command: WireCommand; operation: WireOperation }

const SILENCE = fault({ kind: 'unavailable', is_ambiguous: true })

export function createGoogle(next: () => Behavior = () => 'take') {
  const taken: Taken[] = []
  let listings = 0

  const take = (device: string, command: WireCommand): WireOperation => {
    const { newPassword: _secret, ...repeated } = command
    const createTime = new Date().toISOString()
    const name = `${device}/operations/${taken.length + 1}`
    const operation = { name, done: false, metadata: { ...repeated, createTime } }
    taken.push({ device, command, operation })
    return operation
  }

  const issue = (device: string, command: WireCommand): Answer<WireOperation> => {
    const behavior = next()
    if (behavior === 'take') return ok(take(device, command))
    if (behavior === 'take_silently') take(device, command)
    return typeof behavior === 'string' ? SILENCE : fault({ kind: 'unavailable', ...behavior })
  }

  const listed = (device: string): WireOperation[] => {
    listings += 1
    return taken
      .filter((each) => each.device === device)
      .map(({ operation }) => operation)
      .toReversed()
  }

  const provider = fakeProvider({
    issueCommand: (device, command) => Promise.resolve(issue(device, command)),
    listOperations: (device) => Promise.resolve(ok(listed(device))),
  })
  return { provider, taken, listings: () => listings }
}

/** Returns the same numbers for the same seed, each from 0 up to, but not including, 1. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
