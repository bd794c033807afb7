/** Finds the operation of a command at the provider after an attempt with an unknown outcome. */
import type { CommandRow } from '../../commands/record.ts'
import { createdAt } from '../../providers/messages.ts'
import type { WireOperation } from '../../providers/port.ts'

export type NamedOperation = WireOperation & { name: string }

/** Maximum time by which the provider's clock may be behind ours. */
const CLOCK_DIFFERENCE_MS = 60_000

export const isNamed = (operation: WireOperation): operation is NamedOperation =>
  typeof operation.name === 'string' && operation.name !== ''

/**
 * Returns the oldest operation of the same type that was created since the first attempt and belongs to
 * no other command. Commands of a device are sent one after another, so equal ones are interchangeable.
 *
 * @param taken names of operations that belong to other commands
 */
export function adoptedOperation(
  operations: readonly WireOperation[],
  command: Pick<CommandRow, 'type' | 'parameters'>,
  { since, taken }: { since: Date; taken: ReadonlySet<string> },
): NamedOperation | undefined {
  const earliest = since.getTime() - CLOCK_DIFFERENCE_MS
  const candidates = operations
    .filter(isNamed)
    .filter(
      ({ name, metadata }) =>
        !taken.has(name) &&
        metadata?.type === command.type &&
        createdAt({ metadata }) >= earliest &&
        hasSamePackages(metadata.clearAppsDataParams, command),
    )
  return candidates.toSorted((one, other) => createdAt(one) - createdAt(other))[0]
}

/** An operation without package names matches any, because the provider does not always repeat them. */
function hasSamePackages(
  params: { packageNames?: unknown } | undefined,
  { parameters }: Pick<CommandRow, 'parameters'>,
): boolean {
  const names = params?.packageNames
  if (!Array.isArray(names)) return true
  const expected = parameters.package_names ?? []
  return names.length === expected.length && expected.every((name) => names.includes(name))
}
