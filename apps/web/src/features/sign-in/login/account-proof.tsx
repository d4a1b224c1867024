import type { ConfirmProof } from '@hufu/contract/login'
import { ArrowLeft } from 'lucide-react'
import { useState } from 'react'
import { useWechatProofText } from '../../../identity/wechat/wechat-proof.text.ts'
import { Button } from '../../../ui/button.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { PasswordField } from '../../../ui/fields/password-field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useConfirmText } from './confirm.text.ts'
import { EmailProof } from './email-proof.tsx'
import { Lead } from './lead.tsx'
import type { WantedProofs } from './login.api.ts'
import { ProofForm } from './proof-form.tsx'
import type { Confirm } from './use-confirm.ts'

interface Props {
  ticket: string
  confirm: Confirm
  wanted: WantedProofs
}

/** One more proof that the user owns the account, of those it has. */
export function AccountProof({ ticket, confirm, wanted }: Props) {
  const text = useConfirmText().confirm
  const [way, setWay] = useState<ConfirmProof | undefined>(wanted.proofs[0])
  const other = wanted.proofs.find((proof) => proof !== way)
  const words = { password: text.usePassword, email: text.useEmail, wechat: text.useWechat }
  const change = (to: ConfirmProof) => {
    confirm.clearFailure()
    setWay(to)
  }
  return (
    <>
      {way === 'password' && <PasswordProof confirm={confirm} />}
      {way === 'email' && <EmailProof ticket={ticket} confirm={confirm} email={wanted.email ?? ''} />}
      {way === 'wechat' && <WechatProof />}
      {way === undefined && <NicknameProof confirm={confirm} nickname={wanted.nickname ?? ''} />}
      <div className="others">
        {other && (
          <Button kind="quiet" wide onClick={() => change(other)}>
            {words[other]}
          </Button>
        )}
        <Button kind="text" onClick={confirm.askAgain}>
          <ArrowLeft />
          {text.backToQuestion}
        </Button>
      </div>
    </>
  )
}

function PasswordProof({ confirm }: { confirm: Confirm }) {
  const text = useConfirmText()
  const [password, setPassword] = useState('')
  const edit = (typed: string) => {
    confirm.clearFailure()
    setPassword(typed)
  }
  return (
    <>
      <Lead title={text.confirm.proofTitle} line={text.confirm.passwordLead} />
      <ProofForm
        complete={password !== ''}
        busy={confirm.busy}
        words={confirm.solving ? text.login.solving : text.login.logIn}
        onSubmit={() => void confirm.answer({ mine: true, password })}
      >
        <PasswordField
          label={text.login.password}
          placeholder={text.confirm.passwordPlaceholder}
          value={password}
          onChange={edit}
          error={confirm.failure?.message}
        />
      </ProofForm>
    </>
  )
}

/** WeChat itself is a sign-in method: a user who has it needs no number. */
function WechatProof() {
  const text = useConfirmText().confirm
  const { loginInstead } = useWechatProofText()
  return (
    <>
      <Lead title={text.proofTitle} line="" />
      <Notice>{loginInstead}</Notice>
    </>
  )
}

function NicknameProof({ confirm, nickname }: { confirm: Confirm; nickname: string }) {
  const text = useConfirmText().confirm
  return (
    <>
      <Lead title={text.nicknameTitle} line={text.nicknameLead} />
      <ProofForm
        complete
        busy={confirm.busy}
        words={text.sure}
        onSubmit={() => void confirm.answer({ mine: true, sure: true })}
      >
        <p className="whose">
          {text.nickname}
          <b>{nickname || text.noNickname}</b>
        </p>
        <ErrorLine message={confirm.failure?.message} />
      </ProofForm>
    </>
  )
}
