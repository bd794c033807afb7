/** `vigil person`: data of people whom an organization has stored. */
import type { Command } from 'commander'
import { type Io, setAction } from '../io.ts'

export function personCommands(program: Command, io: Io): void {
  const person = program.command('person').description('manage data of people')
  setAction(
    person
      .command('delete')
      .description('delete the data of a person, in live and test data, and report what stays')
      .requiredOption('--org <org_id>', 'id of the organization')
      .option('--email <address>', 'e-mail address of the person, in any spelling')
      .option('--phone <number>', 'phone number of the person in E.164')
      .option('--profile <external_id>', 'external_id of the profile of the person')
      .option(
        '--device <fingerprint_hash>',
        'fingerprint_hash of a device that only this person uses',
      )
      .option('--dry-run', 'report what would be deleted, and change nothing')
      .option('--yes', 'delete without a question'),
    io,
    async () => (await import('../person.ts')).deletePersonData,
  )
}
