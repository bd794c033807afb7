import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const documented = readFileSync(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8')

describe('the code snippet', () => {
  it.each([
    ['node', 'js'],
    ['python', 'python'],
    ['php', 'php'],
    ['ruby', 'ruby'],
    ['go', 'go'],
  ])(
    'for %s equals the documented one, which is tested against real signatures',
    (name, language) => {
      const shown = readFileSync(new URL(`./snippets/${name}.txt`, import.meta.url), 'utf8')
      expect(documented).toContain(`\`\`\`${language} snippet\n${shown}\`\`\``)
    },
  )
})
