/** What a sealed password is bound to: its command, or the group command that it came with. */
import type { CommandRow } from './record.ts'

export const passwordContext = ({
  id,
  group_command_id,
}: Pick<CommandRow, 'id' | 'group_command_id'>): string => `mdm_command:${group_command_id ?? id}`
