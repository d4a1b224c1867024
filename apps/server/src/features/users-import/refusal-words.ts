import { nicknameMost } from '@hufu/contract/account-rules'
import type { RefusalCode } from './imported-user.ts'
import { knownFormulas } from './recognise-hash.ts'
import { mostBytes } from './record-reader.ts'

/** What an operator reads beside the code. No sentence repeats a value: a report must hold no data of users. */
export const refusalWords: Record<RefusalCode, string> = {
  LINE_TOO_LONG: `The line is longer than ${mostBytes} bytes.`,
  NOT_UTF8: 'The line is not valid UTF-8. A file in GBK can be converted: iconv -f GBK -t UTF-8.',
  NOT_JSON: 'The line is no JSON object.',
  CELLS_WRONG: 'The line has more or fewer cells than the first line has columns.',
  FIELD_UNKNOWN: 'The object has a field that an import does not know.',
  FIELD_TYPE: 'The value must be a text.',
  ID_INVALID: 'The id is no UUID. An id of another form goes into sourceId.',
  ID_TAKEN: 'Another user has this id.',
  SOURCE_ID_INVALID: 'sourceId takes up to 200 characters without control characters, and no id beside it.',
  STATUS_INVALID: 'The status is active or disabled.',
  TIME_INVALID:
    'The time is no ISO 8601 with an offset and no milliseconds since 1970, or lies in the future or before 1990.',
  NICKNAME_INVALID: `The nickname must have 1 to ${nicknameMost} visible characters.`,
  MOBILE_INVALID: 'This is no mobile number of its region.',
  MOBILE_REGION: 'The site does not serve the region of this number: see `regions` in its configuration.',
  EMAIL_INVALID: 'This is no e-mail address.',
  USERNAME_INVALID: 'A username has 4 to 20 letters, digits or underscores and begins with a letter.',
  WECHAT_INVALID: 'The value must be appId:openid or appId:openid:unionid, one for each app, with spaces between.',
  HASH_UNKNOWN: `The password hash is in no known form. passwordAlgorithm is one of ${knownFormulas}.`,
  HASH_COST: 'Checking this password hash would take more than about a second or 128 MB.',
  NO_LOGIN_NAME: 'The user could not sign in: no mobile number, e-mail address, username or WeChat id.',
  NAME_DUPLICATE: 'An earlier line has the same value.',
  NAME_TAKEN: 'Another user of the site signs in by this value.',
}
