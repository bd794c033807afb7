/** Converts a command to the message of the Android Management API. */
import type { CommandRow } from '../../commands/record.ts'
import type { WireCommand } from '../../providers/port.ts'

/**
 * The duration is always sent, because Google's default of ten minutes is too short for a device that
 * is switched off.
 */
const DURATION_MIN_S = 60

/**
 * https://developers.google.com/android/management/reference/rest/v1/enterprises.devices/issueCommand
 *
 * @param options.remaining_s time until the command expires
 */
export function wireCommand(
  { type, parameters }: Pick<CommandRow, 'type' | 'parameters'>,
  { remaining_s, new_password }: { remaining_s: number; new_password: string | undefined },
): WireCommand {
  const { package_names, reset_password_flags } = parameters
  return {
    type,
    duration: `${Math.max(DURATION_MIN_S, Math.ceil(remaining_s))}s`,
    ...(package_names && { clearAppsDataParams: { packageNames: package_names } }),
    ...(reset_password_flags !== undefined && { resetPasswordFlags: reset_password_flags }),
    ...(new_password !== undefined && { newPassword: new_password }),
  }
}
