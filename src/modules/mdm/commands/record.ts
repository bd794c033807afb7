/** Converts rows of commands to the records of the API and of events. */
import type { MdmTables } from '../tables.ts'
import type { Command } from './schema.ts'

export type CommandRow = MdmTables['mdm_commands']

export function toCommand(row: CommandRow): Command {
  return {
    id: row.id,
    device_id: row.device_id,
    group_command_id: row.group_command_id,
    type: row.type,
    package_names: row.parameters.package_names ?? [],
    status: row.status,
    error: row.error,
    created_at: row.created_at.toISOString(),
    sent_at: row.sent_at?.toISOString() ?? null,
    completed_at: row.completed_at?.toISOString() ?? null,
    expires_at: row.expires_at.toISOString(),
  }
}
