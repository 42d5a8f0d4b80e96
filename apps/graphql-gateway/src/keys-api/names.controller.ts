import { Controller, Get, Query, UseInterceptors } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import { Users } from '@tradewind/service-kit';
import { nameCharsMax, type Vocabulary } from '@tradewind/filters';
import { MayBeAbsent } from '@tradewind/shared-types';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { Dictionaries } from '../dictionaries/dictionaries.service.js';
import { RequestUnits } from './request-units.js';

/** What fits in a list below a field; who does not find a name there types on. */
const namesMax = 20;

const vocabularies = [
  'region',
  'country',
  'location',
  'skill',
  'language',
  'industry',
] as const satisfies readonly Vocabulary[];

export class NamesQueryDto {
  @ApiProperty({ type: String, enum: vocabularies, example: 'country' })
  @IsIn(vocabularies, { message: `of must be one of ${vocabularies.join(', ')}` })
  of!: Vocabulary;

  @ApiPropertyOptional({ type: String, maxLength: nameCharsMax, description: 'What is typed so far', example: 'swi' })
  @MayBeAbsent()
  @IsString()
  @MaxLength(nameCharsMax)
  text: string = '';
}

export class NamesDto {
  @ApiProperty({
    type: [String],
    description: `At most ${namesMax}; fewer are all there are`,
    example: ['Switzerland'],
  })
  names!: string[];
}

/** The names that filters know, for pages where people build one. It costs no data call. */
@ApiTags('names')
@ApiBearerAuth()
@ApiTooManyRequestsResponse({ description: 'Too many requests in 60 seconds; Retry-After says when to ask again' })
@Users()
@UseInterceptors(RequestUnits)
@Controller('names')
export class NamesController {
  constructor(private readonly dictionaries: Dictionaries) {}

  @Get()
  @ApiOperation({ summary: 'Names that begin like a text, as filters take them' })
  @ApiOkResponse({ type: NamesDto })
  async list(@Query() { of, text }: NamesQueryDto): Promise<NamesDto> {
    const { names } = await this.dictionaries.current();
    return { names: names.suggest(of, text, namesMax) };
  }
}
