/** Compares all records of managed devices with those of the provider. */
import type { AndroidControl } from '../../emulators/android-management/index.ts'
import {
  isInDoubt,
  issuedTwice,
  issuedWithoutCommand,
  wrongCommands,
  wrongRequests,
} from './mdm-command-books.ts'
import { lostChanges, wrongDevices, wrongPolicies } from './mdm-device-books.ts'
import { wrongCommandHistory, wrongDeviceHistory } from './mdm-history-books.ts'
import type { FleetLedger } from './mdm-ledger.ts'
import { readRows } from './mdm-rows.ts'

export type FleetBooks = {
  /** Differences from the provider, as sentences. */
  wrong_devices: string[]
  wrong_policies: string[]
  wrong_commands: string[]
  /** Operations that the provider accepted and that belong to no command, or to two. */
  issued_without_command: string[]
  issued_twice: string[]
  /** Differences from the responses that clients received. */
  wrong_requests: string[]
  lost_changes: string[]
  /** Faults of audit entries and events, and rows that should not exist. */
  wrong_command_history: string[]
  wrong_device_history: string[]
  leftovers: string[]
}

export type FleetCounts = {
  devices: number
  /** By status. */
  commands: Record<string, number>
  /** Commands whose device was removed before their result was known. */
  in_doubt: number
}

export async function readFleetBooks(
  dataDir: string,
  control: AndroidControl,
  ledger: FleetLedger,
): Promise<{ books: FleetBooks; counts: FleetCounts }> {
  const rows = await readRows(dataDir)
  const truth = control.truth()
  const commands: Record<string, number> = {}
  for (const { status } of rows.commands) commands[status] = (commands[status] ?? 0) + 1
  const in_doubt = rows.commands.filter(isInDoubt).length
  return {
    books: {
      wrong_devices: wrongDevices(rows, truth),
      wrong_policies: wrongPolicies(rows, truth),
      wrong_commands: wrongCommands(rows, truth),
      issued_without_command: issuedWithoutCommand(rows, truth),
      issued_twice: issuedTwice(rows, truth),
      wrong_requests: wrongRequests(rows, ledger),
      lost_changes: lostChanges(rows, ledger),
      wrong_command_history: wrongCommandHistory(rows),
      wrong_device_history: wrongDeviceHistory(rows, truth),
      leftovers: rows.leftovers,
    },
    counts: { devices: rows.devices.length, commands, in_doubt },
  }
}
