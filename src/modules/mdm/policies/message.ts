/** The message of an answer about a saved policy, with a warning where a mistake would be expensive. */

const WARNING = 'without playStoreMode, apps that are not listed are uninstalled'
/** Google treats both as `WHITELIST`. */
const UNSET: readonly unknown[] = [undefined, 'PLAY_STORE_MODE_UNSPECIFIED']

/** @param policyJson as the request sets it; undefined when it does not */
export const savedMessage = (
  message: string,
  policyJson: Record<string, unknown> | undefined,
): string =>
  policyJson && UNSET.includes(policyJson['playStoreMode']) ? `${message}; ${WARNING}` : message
