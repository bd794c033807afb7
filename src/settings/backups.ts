/** Settings of backups. */
import {
  flag,
  integer,
  optionalFormed,
  optionalText,
  optionalUrl,
  type Setting,
  text,
} from '../platform/settings.ts'

const PASSPHRASE_CHARS_MIN = 16

export const BACKUP_SETTINGS = {
  backup_to: optionalText({
    help: 'Where backups are stored: a folder, or `s3://BUCKET/PREFIX`. Without it, `vigil backup` needs `--store`, and no backups are taken on a schedule',
  }),
  backup_interval_hours: integer(
    24,
    { min: 0, max: 8760 },
    {
      help: 'Age of the newest backup at which a worker takes the next one, if `VIGIL_BACKUP_TO` is set. 0 takes none',
    },
  ),
  backup_retention_days: integer(
    30,
    { min: 0, max: 36_500 },
    {
      help: 'Age at which backups are deleted after a scheduled backup and by `vigil backup prune`. The newest three stay. 0 keeps all',
    },
  ),
  backup_logs: flag(true, {
    help: 'Whether backups include logs and RUM events, that is, the tables of the analytics engine',
  }),
  backup_passphrase: optionalFormed(
    {
      accepts: (given) => given.length >= PASSPHRASE_CHARS_MIN,
      what: `a text of at least ${PASSPHRASE_CHARS_MIN} characters`,
    },
    {
      help: 'Passphrase that opens backups in addition to the master key, for example to verify them where the master key must not be',
      secret: true,
    },
  ),
  backup_s3_endpoint: optionalUrl(['http', 'https'], {
    help: 'Base URL of an S3-compatible store. Default: that of AWS in the region',
  }),
  backup_s3_region: text('us-east-1', { help: 'Region of the S3-compatible store' }),
  backup_s3_access_key_id: optionalText({ help: 'Access key id for the S3-compatible store' }),
  backup_s3_secret_access_key: optionalText({
    help: 'Secret access key for the S3-compatible store',
    secret: true,
  }),
} as const satisfies Record<string, Setting<unknown>>
