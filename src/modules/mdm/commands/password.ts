/** The sealing context of a password: its command, or the group command that it belongs to. */
import type { CommandRow } from './record.ts'

export const passwordContext = (command: Pick<CommandRow, 'id' | 'group_command_id'>): string =>
  `mdm_command:${command.group_command_id ?? command.id}`
