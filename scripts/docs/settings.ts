/** The settings as tables for docs/operate/settings.md and as the file .env.example. */
import { environmentName, SETTING_TOPICS } from '../../src/config.ts'
import { renderTable } from './table.ts'

const HEADER = `# Settings of Vigil. Copy this file to .env in the folder where you start Vigil, and remove the # in
# front of the settings that you change. Environment variables take precedence over this file. An
# empty value counts as not set.
`

export function settingsTables(): string {
  const sections = Object.entries(SETTING_TOPICS).map(([topic, settings]) => {
    const rows = Object.entries(settings).map(([key, { help, fallback, secret }]) => [
      `\`${environmentName(key)}\``,
      fallback === undefined || fallback === '' ? '' : `\`${fallback}\``,
      secret ? `${help}. **Secret**` : help,
    ])
    return `## ${topic}\n\n${renderTable(['Name', 'Default', 'Description'], rows)}`
  })
  return sections.join('\n\n')
}

export function environmentExample(): string {
  const sections = Object.entries(SETTING_TOPICS).map(([topic, settings]) => {
    const entries = Object.entries(settings).map(([key, { help, fallback, secret }]) => {
      const comment = secret ? `${help}. Secret.` : help
      return `\n${wrapComment(comment)}\n#${environmentName(key)}=${fallback ?? ''}\n`
    })
    return `\n# --- ${topic} ---\n${entries.join('')}`
  })
  return HEADER + sections.join('')
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
