import { Transform } from 'class-transformer';
import { IsString } from 'class-validator';

/** A form field that is missing or given twice counts as empty. */
const OneText = () => Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value : ''));

export class PageForm {
  @OneText()
  @IsString()
  _csrf = '';
}

export class LoginForm extends PageForm {
  @OneText()
  @IsString()
  email = '';

  @OneText()
  @IsString()
  password = '';
}
