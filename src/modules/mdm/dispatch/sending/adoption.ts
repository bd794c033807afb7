/**
 * After an attempt whose outcome was not learnt: which of the operations that the provider has is the
 * one of a command. Pure.
 */
import type { CommandRow } from '../../commands/record.ts'
import type { WireOperation } from '../../providers/port.ts'

export type NamedOperation = WireOperation & { name: string }

/** By so much the provider's clock may be behind ours. */
const CLOCK_DIFFERENCE_MS = 60_000

export const isNamed = (operation: WireOperation): operation is NamedOperation =>
  typeof operation.name === 'string' && operation.name !== ''

/**
 * The oldest of the same type that was made since the first attempt and that no other command has:
 * commands of a device are sent one after another, so those that are alike can stand for each other.
 *
 * @param taken names of operations that other commands have
 */
export function adoptedOperation(
  operations: readonly WireOperation[],
  command: Pick<CommandRow, 'type' | 'parameters'>,
  { since, taken }: { since: Date; taken: ReadonlySet<string> },
): NamedOperation | undefined {
  const earliest = since.getTime() - CLOCK_DIFFERENCE_MS
  const candidates = operations
    .filter(isNamed)
    .filter(({ name, metadata }) => {
      return (
        !taken.has(name) &&
        metadata?.type === command.type &&
        madeAt({ metadata }) >= earliest &&
        hasSamePackages(metadata.clearAppsDataParams, command)
      )
    })
    .toSorted((one, other) => madeAt(one) - madeAt(other))
  return candidates[0]
}

/** An operation that does not say when it was made is none of the last attempt. */
function madeAt({ metadata }: Pick<WireOperation, 'metadata'>): number {
  const said: unknown = metadata?.createTime
  const at = typeof said === 'string' ? Date.parse(said) : Number.NaN
  return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : at
}

/** Where the provider repeats them at all. */
function hasSamePackages(
  given: { packageNames?: unknown } | undefined,
  { parameters }: Pick<CommandRow, 'parameters'>,
): boolean {
  const names = given?.packageNames
  if (!Array.isArray(names)) return true
  const wanted = parameters.package_names ?? []
  return names.length === wanted.length && wanted.every((name) => names.includes(name))
}
