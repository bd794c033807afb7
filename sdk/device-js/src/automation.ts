/** Whether a program drives the browser, by the rules of BotD. */
import { BotKind, collect, detect, detectors, sources } from '@fingerprintjs/botd'

/**
 * Left out: `navigator.webdriver`, which is reported separately; the number of plugins, which is 0 where an
 * administrator has turned off the PDF viewer; and the permission for notifications, which differs in
 * private windows. All three would accuse people.
 */
const {
  detectWebDriver: _webdriver,
  detectPluginsLengthInconsistency: _plugins,
  detectNotificationPermissions: _notifications,
  ...RULES
} = detectors

/** @returns undefined if nothing was found */
export async function detectAutomation(hasConsent: boolean): Promise<string | undefined> {
  const { webGL, ...others } = sources
  // The rules treat what is not measured like what cannot be measured.
  const notMeasured = (): { vendor: string; renderer: string } => ({ vendor: '', renderer: '' })
  const components = await collect({ ...others, webGL: hasConsent ? webGL : notMeasured })
  const [, { bot, botKind }] = detect(components, RULES) as [
    unknown,
    { bot: boolean; botKind?: string },
  ]
  return bot ? (botKind ?? BotKind.Unknown) : undefined
}
