/** The settings as a table for readers and as a file to copy, both from config.ts. */
import { environmentName, SETTINGS } from '../../src/config.ts'
import type { Setting } from '../../src/platform/settings.ts'
import { renderTable } from './table.ts'

const HEADER = `# Settings of Vigil: copy to .env in the folder where Vigil is started, and take away the # in front
# of what you change. The environment wins over this file. An empty value counts as not set.
`

const settings = Object.entries<Setting<unknown>>(SETTINGS)

export function settingsTable(): string {
  const rows = settings.map(([key, { help, fallback, secret }]) => [
    `\`${environmentName(key)}\``,
    fallback === undefined || fallback === '' ? '' : `\`${fallback}\``,
    secret ? `${help}. **Secret**` : help,
  ])
  return renderTable(['Name', 'Default', 'What it does'], rows)
}

export function environmentExample(): string {
  const entries = settings.map(([key, { help, fallback, secret }]) => {
    const comment = secret ? `${help}. Secret.` : help
    return `\n${wrapComment(comment)}\n#${environmentName(key)}=${fallback ?? ''}\n`
  })
  return HEADER + entries.join('')
}

const COMMENT_CHARS = 98

function wrapComment(text: string): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > COMMENT_CHARS) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line].map((part) => `# ${part}`).join('\n')
}
