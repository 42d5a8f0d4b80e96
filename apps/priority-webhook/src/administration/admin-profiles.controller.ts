import { Controller, Get, Header, Param, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Administrators, pageOf, positionAfter, toCursor } from '@tradewind/service-kit';
import { assertHandle, ProfilesService } from '../profiles/profiles.service.js';
import {
  DeliveryDetailsDto,
  deliveryDetailsDto,
  deliveryDto,
  DeliveryListQueryDto,
  DeliveryPageDto,
  DeliveryPathDto,
  ProfilePathDto,
} from './admin-profiles.dto.js';

/** What came of a profile in each month. Profiles belong to no company. */
@ApiTags('administration of profiles')
@ApiBearerAuth()
@Administrators()
@Controller('admin/profiles')
export class AdminProfilesController {
  constructor(private readonly profiles: ProfilesService) {}

  @Get(':username/deliveries')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'What the provider sent of a profile in all months that are kept, latest first' })
  @ApiOkResponse({ type: DeliveryPageDto })
  async list(
    @Param() { username }: ProfilePathDto,
    @Query() { limit, cursor }: DeliveryListQueryDto,
  ): Promise<DeliveryPageDto> {
    const handle = assertHandle(username);
    const after = positionAfter(cursor, handle, ([name, ...rest]) =>
      typeof name === 'string' && !/[\0\p{Cs}]/u.test(name) && rest.length === 0 ? name : undefined,
    );
    const rows = await this.profiles.listDeliveries(handle, { after, limit: limit + 1 });
    const { page, next_cursor } = pageOf(rows, limit, ({ objectName }) => toCursor([objectName], handle));
    return { deliveries: page.map(deliveryDto), next_cursor };
  }

  @Get(':username/deliveries/:delivery_id')
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ summary: 'One of them, with the JSON that is stored' })
  @ApiOkResponse({ type: DeliveryDetailsDto })
  @ApiResponse({ status: 404, description: 'The profile has no such delivery' })
  async get(@Param() { username, delivery_id: id }: DeliveryPathDto): Promise<DeliveryDetailsDto> {
    return deliveryDetailsDto(await this.profiles.getDelivery(username, id));
  }
}
